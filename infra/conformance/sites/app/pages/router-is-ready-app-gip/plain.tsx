import { Ready } from '../../components/ready'

export default Ready
