import { useRouter } from 'next/router'
import { State } from '../../../components/state'

export const getStaticPaths = () => ({
  paths: [[], ['one', 'two']].map((path) => ({ params: { path } })),
  fallback: true,
})
/** The data of a path that is not listed takes longer than a response without it. */
export async function getStaticProps({ params }: { params: { path?: string[] } }) {
  if (params.path?.[0] === 'other') await new Promise((resolve) => setTimeout(resolve, 500))
  return { props: { params } }
}

export default function Made({ params }: { params?: object }) {
  return <State props={{ params, isFallback: useRouter().isFallback }} />
}
