import { Day, dayProps } from '../../../components/prerender/day'

export const getStaticPaths = () => ({ paths: [], fallback: true })

export const getStaticProps = () => dayProps()

export default Day
