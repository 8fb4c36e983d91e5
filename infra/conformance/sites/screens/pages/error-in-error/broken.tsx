export const getServerSideProps = () => {
  throw new Error('no paper')
}

export default function Broken() {
  return <p>Never shown</p>
}
