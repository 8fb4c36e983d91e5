import { Switch } from '../../components/switch'

export const getServerSideProps = async ({ locale }: { locale: string }) => ({ props: { locale } })

export default Switch
