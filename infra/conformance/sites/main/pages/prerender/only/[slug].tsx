import { dataAfter } from '../../../components/prerender/data'
import { Shown } from '../../../components/prerender/shown'

export const getStaticPaths = () => ({ paths: [], fallback: true })

export const getStaticProps = dataAfter(100, 1)

export default function Only(props: object) {
  return <Shown props={props} />
}
