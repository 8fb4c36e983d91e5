import { Ready } from '../../components/router-is-ready/ready'

export const getStaticProps = () => ({ props: {} })

export default Ready
