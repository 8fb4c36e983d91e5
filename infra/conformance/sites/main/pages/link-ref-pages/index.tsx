import { State } from '../../components/state'

export const getStaticProps = () => ({ props: {} })

export default function Target() {
  return <State />
}
