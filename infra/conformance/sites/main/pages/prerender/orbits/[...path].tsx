import { dataAfter } from '../../../components/prerender/data'
import { Shown } from '../../../components/prerender/shown'

const at = '/prerender/orbits'

export const getStaticPaths = () => ({
  paths: [{ params: { path: ['inner'] } }, `${at}/outer`, { params: { path: ['far', 'ice'] } }, `${at}/far/rock`],
  fallback: true,
})

export const getStaticProps = dataAfter(100, 1)

export default function Orbit(props: object) {
  return <Shown props={props} />
}
