import { Ready } from '../../../components/router-is-ready/ready'

export default Ready
