import { dataAfter } from '../../../../components/prerender/data'
import { Shown } from '../../../../components/prerender/shown'

export const getStaticPaths = () => ({ paths: [], fallback: true })

export const getStaticProps = dataAfter(0, 10)

export default function Profile(props: object) {
  return <Shown props={props} />
}
