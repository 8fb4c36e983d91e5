// Where the tool of Prisma finds the schema.

import { defineConfig } from 'prisma/config'

export default defineConfig({ schema: 'prisma/schema.prisma' })
