import { appears } from '../../../components/not-found-revalidate/appears'
import { State } from '../../../components/state'

export const getStaticProps = appears('listed')

export default function Begins(props: object) {
  return <State props={props} />
}
