export const getServerSideProps = () => {
  throw new Error('no water')
}

export default function Fails() {
  return <p>Never shown</p>
}
