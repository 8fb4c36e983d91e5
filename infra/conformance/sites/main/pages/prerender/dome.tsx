import { dataOf } from '../../components/prerender/data'
import { Shown } from '../../components/prerender/shown'

export const getStaticProps = () => ({ props: { place: 'dome', ...dataOf(undefined) }, revalidate: 1 })

export default function Dome(props: object) {
  return <Shown props={props} />
}
