import { forwardOf } from '../../../components/forwarded'
import { Parcel } from '../../../components/parcel'

export const getServerSideProps = async ({ params }: { params: { parcel: string } }) =>
  forwardOf(params.parcel) ?? { props: params }

export default Parcel
