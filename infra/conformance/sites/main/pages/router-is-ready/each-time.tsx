import { Ready } from '../../components/router-is-ready/ready'

export const getServerSideProps = async () => ({ props: {} })

export default Ready
