export const getServerSideProps = async () => {
  throw new Error('the lamp is broken')
}

export default function Broken() {
  return <h1>Broken</h1>
}
