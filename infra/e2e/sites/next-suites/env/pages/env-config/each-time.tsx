import { seen } from '../../components/seen'
import { Shown } from '../../components/shown'

export const getServerSideProps = async () => ({ props: { env: seen() } })

export default Shown
