// components/query-adapter.tsx
import {
  type unstable_AdapterInterface as Adapter,
  unstable_createAdapterProvider as createAdapterProvider,
  renderQueryString,
} from 'nuqs/adapters/custom'
import { type Href, usePathname, useRouter, useSearchParams } from 'portico'

function useAdapter(): Adapter {
  const path = usePathname()
  const searchParams = useSearchParams()
  const router = useRouter()
  return {
    searchParams,
    updateUrl: (search, { history, shallow, scroll }) => {
      const href = path + renderQueryString(search) + window.location.hash
      router[history](href as Href, undefined, { shallow, scroll })
    },
  }
}

export const QueryAdapter = createAdapterProvider(useAdapter)
