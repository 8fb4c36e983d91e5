import { useRouter } from 'next/router'
import { State } from '../../components/state'

export const getStaticPaths = () => ({ paths: ['/api-prerender/first'], fallback: true })

export const getStaticProps = () => ({ props: { note: 'on the telescope' } })

export default function Note({ note }: { note: string }) {
  if (useRouter().isFallback) return 'No note yet'
  return <State props={{ note }} />
}
