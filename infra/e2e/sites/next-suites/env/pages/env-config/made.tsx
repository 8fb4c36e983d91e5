import { seen } from '../../components/seen'
import { Shown } from '../../components/shown'

export const getStaticProps = async () => ({ props: { env: seen() } })

export default Shown
