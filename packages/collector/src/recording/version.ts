// The version that stands in every trace: that of package.json, held equal by a test.
export const VERSION = '0.1.0';
