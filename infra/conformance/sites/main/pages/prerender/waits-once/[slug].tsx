import { dataAfter } from '../../../components/prerender/data'
import { Shown } from '../../../components/prerender/shown'

export const getStaticPaths = () => ({ paths: [{ params: { slug: 'leaves' } }], fallback: 'blocking' })

export const getStaticProps = (context: { params: { slug: string } }) =>
  context.params.slug === 'leaves' && process.env.NEXT_PHASE !== 'phase-production-build'
    ? { notFound: true as const }
    : dataAfter(0, false)(context)

export default function WaitsOnce(props: object) {
  return <Shown props={props} />
}
