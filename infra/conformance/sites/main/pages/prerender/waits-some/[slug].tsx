import { dataAfter } from '../../../components/prerender/data'
import { Shown } from '../../../components/prerender/shown'

export const getStaticPaths = () => ({
  paths: [{ params: { slug: 'a' } }, { params: { slug: 'b' } }],
  fallback: 'blocking',
})

export const getStaticProps = dataAfter(0, 30)

export default function WaitsSome(props: object) {
  return <Shown props={props} />
}
