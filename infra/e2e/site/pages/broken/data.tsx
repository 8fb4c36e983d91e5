// Its data function throws.

export const getServerSideProps = async () => {
  throw new Error('fixture data failed: secret-of-the-data')
}

export default function BrokenData() {
  return <h1>Never shown</h1>
}
