import { useRouter } from 'next/router'
import { State } from '../../../components/state'

export const getServerSideProps = async ({ params }: { params: object }) => ({ props: { params } })

export default function Book({ params }: { params: object }) {
  const { shelf, book } = useRouter().query
  return (
    <main>
      <h1>
        Book {book} on {shelf}
      </h1>
      <State props={params} />
    </main>
  )
}
