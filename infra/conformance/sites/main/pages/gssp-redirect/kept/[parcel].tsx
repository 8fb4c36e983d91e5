import { forwardOf } from '../../../components/forwarded'
import { Parcel } from '../../../components/parcel'

export const getStaticPaths = () => ({ paths: [{ params: { parcel: 'first' } }], fallback: true })

/** Takes longer than a response without data. */
export async function getStaticProps({ params }: { params: { parcel: string } }) {
  if (params.parcel !== 'first') await new Promise((resolve) => setTimeout(resolve, 300))
  return forwardOf(params.parcel) ?? { props: params }
}

export default Parcel
