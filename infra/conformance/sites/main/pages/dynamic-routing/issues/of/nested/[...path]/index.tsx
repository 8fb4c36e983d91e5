import { State } from '../../../../../../components/state'
import styles from './issue.module.css'

export const getStaticPaths = () => ({ paths: [], fallback: true })
export const getStaticProps = ({ params }: { params: object }) => ({ props: { params } })

export default function NestedIssue({ params }: { params?: object }) {
  return (
    <main className={styles.page}>
      <State props={params} />
    </main>
  )
}
