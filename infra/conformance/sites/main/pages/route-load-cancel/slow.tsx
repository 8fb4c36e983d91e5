import { State } from '../../components/state'

export const getServerSideProps = async () => {
  await new Promise((done) => setTimeout(done, 1500))
  return { props: {} }
}

export default function Slow() {
  return <State />
}
