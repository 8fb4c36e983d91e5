import { Photos } from '../../../components/rewrites-manual-href-as/photos'

export const getServerSideProps = async () => ({ props: {} })

export default function News() {
  return <Photos />
}
