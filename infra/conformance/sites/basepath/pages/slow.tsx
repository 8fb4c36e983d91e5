export const getServerSideProps = async () => {
  await new Promise((done) => setTimeout(done, 1500))
  return { props: {} }
}

export default function Slow() {
  return <h1>Slow</h1>
}
