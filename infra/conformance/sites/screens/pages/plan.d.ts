export declare const neverAPage: string
