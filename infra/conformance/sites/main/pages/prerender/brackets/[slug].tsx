import { Shown } from '../../../components/prerender/shown'

export const getStaticPaths = () => ({
  paths: [{ params: { slug: '[object]' } }, '/prerender/brackets/[string]'],
  fallback: false,
})

export const getStaticProps = ({ params }: { params: { slug: string } }) => ({ props: { slug: params.slug } })

/** Fails in a render without data. */
export default function Brackets({ slug }: { slug: string }) {
  return (
    <>
      <h2 id="path">{slug.toUpperCase()}</h2>
      <Shown props={{ slug }} />
    </>
  )
}
