// A library with much code at which nothing happens, so that a probe can be placed everywhere in it.
__asm__(".text\n.globl long_code\nlong_code:\n.rept 12288\nnop\n.endr\nret\n");
