import { State } from '../components/state'

export const getStaticProps = () => ({ props: { book: 'atlas' } })

export default function Kept(props: object) {
  return <State props={props} />
}
