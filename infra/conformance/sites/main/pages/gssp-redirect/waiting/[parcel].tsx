import { forwardOf } from '../../../components/forwarded'
import { Parcel } from '../../../components/parcel'

export const getStaticPaths = () => ({ paths: [{ params: { parcel: 'first' } }], fallback: 'blocking' })
export const getStaticProps = ({ params }: { params: { parcel: string } }) =>
  forwardOf(params.parcel) ?? { props: params }

export default Parcel
