import { Photos } from '../../../components/rewrites-manual-href-as/photos'

export const getStaticPaths = () => ({ paths: [], fallback: 'blocking' })

export const getStaticProps = ({ params }: { params: object }) => ({ props: { params } })

export default function Photo(props: object) {
  return <Photos props={props} />
}
