import { dataAfter } from '../../../components/prerender/data'
import { Shown } from '../../../components/prerender/shown'

const at = '/prerender/named'

export const getStaticPaths = () => ({
  paths: [
    { params: { path: ['renewed'] } },
    `${at}/single`,
    { params: { path: ['two', 'parts'] } },
    `${at}/[string]/[two]`,
    { params: { path: ['[object]', '[two]'] } },
  ],
  fallback: false,
})

// Never too old: a page of a build of some time ago would be made again behind its first request.
export const getStaticProps = dataAfter(0, false)

/** Fails in a render without data: pages of known paths never have one. */
export default function Named(props: { params: { path: string[] } }) {
  return (
    <>
      <h2 id="path">{props.params.path.join(' & ')}</h2>
      <Shown props={props} />
    </>
  )
}
