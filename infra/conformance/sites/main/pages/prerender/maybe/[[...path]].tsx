import { Shown } from '../../../components/prerender/shown'

export const getStaticPaths = () => ({
  paths: [{ params: { path: [] } }, { params: { path: ['one'] } }],
  fallback: false,
})

export const getStaticProps = ({ params }: { params: { path?: string[] } }) => ({
  props: { path: params.path ?? [] },
})

/** Fails in a render without data. */
export default function Maybe({ path }: { path: string[] }) {
  return (
    <>
      <h2 id="path">{path.join(' & ')}</h2>
      <Shown props={{ path }} />
    </>
  )
}
