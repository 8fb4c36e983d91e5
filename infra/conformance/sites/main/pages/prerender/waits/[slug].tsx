import { dataOf } from '../../../components/prerender/data'
import { Shown } from '../../../components/prerender/shown'

/** How often the data of a path was made in this process. */
const made = new Map<string, number>()

export const getStaticPaths = () => ({
  paths: ['a', 'b', 'fails-later'].map((slug) => ({ params: { slug } })),
  fallback: 'blocking',
})

export const getStaticProps = async ({ params }: { params: { slug: string } }) => {
  const { slug } = params
  const count = (made.get(slug) ?? 0) + 1
  made.set(slug, count)
  const isBuild = process.env.NEXT_PHASE === 'phase-production-build'
  if (slug === 'fails-later' && !isBuild) throw new Error(`no data of ${slug}`)
  if (slug === 'fails-second' && count > 1) throw new Error(`no data of ${slug}`)
  if (slug === 'much') return { props: { much: 'm'.repeat(256_000) } }
  console.log(`data of ${slug}`)
  return { props: dataOf(params), revalidate: 1 }
}

export default function Waits(props: object) {
  return <Shown props={props} />
}
