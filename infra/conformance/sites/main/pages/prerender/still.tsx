import { dataAfter } from '../../components/prerender/data'
import { Shown } from '../../components/prerender/shown'

export const getStaticProps = dataAfter(0, false)

export default function Still(props: object) {
  return <Shown props={props} />
}
