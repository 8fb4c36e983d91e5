export const getServerSideProps = async () => {
  await new Promise((done) => setTimeout(done, 5))
  return { props: { name: 'Later' } }
}

export default function Later({ name }: { name: string }) {
  return <h1>{name}</h1>
}
