import { Ready } from '../../components/ready'

export const getStaticProps = () => ({ props: {} })

export default Ready
