import { State } from '../../../components/state'

export const getStaticPaths = () => ({
  paths: [[], ['one'], ['one', 'two']].map((path) => ({ params: { path } })),
  fallback: false,
})
export const getStaticProps = ({ params }: { params: object }) => ({ props: { params } })

export default function Known({ params }: { params?: object }) {
  return <State props={params} />
}
