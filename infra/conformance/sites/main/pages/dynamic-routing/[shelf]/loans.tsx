import { useRouter } from 'next/router'

export const getServerSideProps = async () => ({ props: {} })

export default function Loans() {
  return <h1>Loans of {useRouter().query.shelf}</h1>
}
