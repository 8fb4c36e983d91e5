import { State } from '../../../components/state'

export const getStaticPaths = () => ({ paths: ['/middleware-rewrites/stills/first'], fallback: 'blocking' })

export const getStaticProps = ({ params }: { params: object }) => ({ props: { params } })

export default function Page(props: object) {
  return <State props={props} />
}
