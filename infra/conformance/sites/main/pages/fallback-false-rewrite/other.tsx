import { State } from '../../components/state'

export const getServerSideProps = async () => ({ props: { isOther: true } })

export default function Other(props: object) {
  return <State props={props} />
}
