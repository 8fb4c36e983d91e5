import { dataAfter } from '../../../../components/prerender/data'
import { Shown } from '../../../../components/prerender/shown'

export const getStaticPaths = () => ({
  paths: ['/prerender/stars/star-1/moon-1', { params: { star: 'star-2', moon: 'moon-2' } }],
  fallback: true,
})

export const getStaticProps = dataAfter(0, 1)

export default function Moon(props: object) {
  return <Shown props={props} />
}
