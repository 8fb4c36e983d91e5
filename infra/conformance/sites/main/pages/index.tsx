import { Mounted } from '../components/client-navigation/mounted'

export default Mounted
