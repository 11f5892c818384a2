// A library with a function of OpenGL that presents a frame. It does nothing. -DPRESENT=NAME is the name of the function.
void PRESENT(void *display, unsigned long window) {
  (void)display;
  (void)window;
  __asm__ volatile("");
}
